#include <map>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "player/page_parts.hpp"
#include "player/recording.hpp"

namespace player {
namespace {

void put_in(std::string& page, std::string_view mark, const std::string& text) {
  const std::size_t at = page.find(mark);
  page.replace(at, mark.size(), text);
}

/// As text of a script element, where `</script>` and `<!--` would end it, or hide it.
std::string inside_script(const nlohmann::json& value) {
  std::string text = value.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
  std::string safe;
  for (const char c : text) c == '<' ? safe += "\\u003c" : safe += c;
  return safe;
}

}  // namespace

std::string page_of(const nlohmann::json& recording) {
  std::string scripts;
  for (const char* name : {"model.js", "views.js", "questions.js", "controls.js"})
    scripts += "<script>\n" + page_parts.at(name) + "</script>\n";
  std::string page = page_parts.at("page.html");
  put_in(page, "/* player.css */", page_parts.at("player.css"));
  put_in(page, "<!-- scripts -->", scripts);
  // Last: what a recording holds is nobody's mark.
  put_in(page, "<!-- recording -->",
         "<script type=\"application/json\" id=\"recording\">" + inside_script(recording) + "</script>");
  return page;
}

}  // namespace player
