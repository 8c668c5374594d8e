#include <initializer_list>
#include <map>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "student/player/page_parts.hpp"
#include "student/player/recording.hpp"

namespace player {
namespace {

void put_in(std::string& page, std::string_view mark, const std::string& text) {
  const std::size_t at = page.find(mark);
  page.replace(at, mark.size(), text);
}

/// Returns JSON that is safe in a script element. A `<` is escaped, because `</script>` would end the element, and
/// `<!--` would change how it is parsed.
std::string inside_script(const nlohmann::json& value) {
  std::string text = value.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
  std::string safe;
  for (const char c : text) c == '<' ? safe += "\\u003c" : safe += c;
  return safe;
}

std::string data(const std::string& id, const nlohmann::json& value) {
  return "<script type=\"application/json\" id=\"" + id + "\">" + inside_script(value) + "</script>\n";
}

/// Returns a page of common/student/player with its style sheet and scripts inserted.
std::string with_parts(const char* name, std::initializer_list<const char*> script_names) {
  std::string scripts;
  for (const char* script : script_names) scripts += "<script>\n" + page_parts.at(script) + "</script>\n";
  std::string page = page_parts.at(name);
  put_in(page, "/* player.css */", page_parts.at("player.css"));
  put_in(page, "<!-- scripts -->", scripts);
  return page;
}

/// Returns the player's page, which still has a placeholder for the recording.
std::string player_page() {
  return with_parts("page.html", {"model.js", "views.js", "memory.js", "timeline.js", "questions.js", "controls.js"});
}

}  // namespace

std::string page_of(const nlohmann::json& recording) {
  std::string page = player_page();
  // The recording is inserted last, so that none of its contents is taken for a placeholder.
  put_in(page, "<!-- recording -->", data("recording", recording));
  return page;
}

std::string page_of(const nlohmann::json& recording, const nlohmann::json& beside) {
  std::string page = with_parts("pair.html", {"pair.js"});
  put_in(page, "<!-- recordings -->",
         data("player", player_page()) + data("recording-A", recording) + data("recording-B", beside));
  return page;
}

}  // namespace player
