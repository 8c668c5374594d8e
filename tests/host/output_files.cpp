// Tests that output files appear as a whole or not at all.

#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include <nlohmann/json.hpp>

#include "host/files.hpp"
#include "host/output_file.hpp"
#include "host/process.hpp"
#include "host/program.hpp"
#include "support/catch.hpp"

TEST_CASE("an output file appears only when it is written, and an abandoned one leaves nothing") {
  const host::temporary_folder folder;
  const std::string path = folder.path() + "/report.json";
  {
    const host::output_file abandoned(path);
    CHECK_FALSE(std::filesystem::is_empty(folder.path()));
  }
  CHECK(std::filesystem::is_empty(folder.path()));
  host::output_file file(path);
  CHECK(file.wanted());
  CHECK_FALSE(std::filesystem::exists(path));
  file.write("whole");
  CHECK(host::read_file(path) == "whole");
  CHECK(std::distance(std::filesystem::directory_iterator(folder.path()), {}) == 1);
}

TEST_CASE("an output file is as readable as any other new file") {
  const host::temporary_folder folder;
  std::ofstream(folder.path() + "/other") << "x";
  host::output_file file(folder.path() + "/report");
  file.write("x");
  CHECK(std::filesystem::status(folder.path() + "/report").permissions() ==
        std::filesystem::status(folder.path() + "/other").permissions());
}

TEST_CASE("an output file that cannot be written is refused before any work") {
  const host::temporary_folder folder;
  CHECK_THROWS_AS(host::output_file(folder.path() + "/missing/report.json"), host::usage_error);
  CHECK_THROWS_WITH(host::output_file(folder.path() + "/missing/report.json"),
                    ContainsSubstring("missing/report.json") && ContainsSubstring("No such file"));
  CHECK_THROWS_WITH(host::output_file(folder.path()), ContainsSubstring("folder"));
}

TEST_CASE("an output file never overwrites a source file or a program") {
  const host::temporary_folder folder;
  const std::string source = folder.path() + "/mine.cu", program = folder.path() + "/mine", link = folder.path() + "/l";
  std::ofstream(source) << "__global__ void mine() {}";
  std::ofstream(program) << "\177ELF and more";
  std::filesystem::create_symlink(source, link);
  CHECK_THROWS_WITH(host::output_file(source), ContainsSubstring("source text"));
  CHECK_THROWS_WITH(host::output_file(link), ContainsSubstring("source text"));
  CHECK_THROWS_WITH(host::output_file(program), ContainsSubstring("is a program"));
  CHECK(host::read_file(source) == "__global__ void mine() {}");
  host::output_file other(folder.path() + "/new.cu");
  other.write("x");
  host::output_file(folder.path() + "/new.cu", host::contents::source).write("y");
  CHECK(host::read_file(folder.path() + "/new.cu") == "y");
}

TEST_CASE("a device stays a device, and a link a link") {
  const host::temporary_folder folder;
  const std::string link = folder.path() + "/link", file = folder.path() + "/file";
  std::filesystem::create_symlink("/dev/full", link);
  host::output_file device(link);
  CHECK_THROWS_WITH(device.write("too much"), ContainsSubstring("the disk took only a part"));
  CHECK(std::filesystem::is_character_file("/dev/full"));
  CHECK(std::filesystem::is_symlink(link));
  host::output_file nothing("/dev/null");
  nothing.write("anything");
  CHECK(std::filesystem::is_character_file("/dev/null"));

  std::filesystem::remove(link);
  { host::output_file(file).write("old"); }
  std::filesystem::create_symlink("file", link);
  { host::output_file(link).write("new"); }
  CHECK(std::filesystem::is_symlink(link));
  CHECK(std::filesystem::file_size(file) == 3);
  std::ifstream read(file);
  std::string text;
  read >> text;
  CHECK(text == "new");
}

TEST_CASE("without a path nothing is written, and a full disk is an error") {
  host::json_file none("");
  CHECK_FALSE(none.wanted());
  none.write({{"a", 1}});
  const host::temporary_folder folder;
  const std::string path = folder.path() + "/full";
  host::output_file file(path);
  for (const auto& entry : std::filesystem::directory_iterator(folder.path())) {
    std::filesystem::remove(entry.path());
    std::filesystem::create_symlink("/dev/full", entry.path());
  }
  CHECK_THROWS_WITH(file.write("too much"), ContainsSubstring("the disk took only a part"));
  CHECK_FALSE(std::filesystem::exists(path));
}

TEST_CASE("JSON is written with a line end, indented as wanted") {
  const host::temporary_folder folder;
  const std::string path = folder.path() + "/report.json";
  host::json_file(path).write({{"a", 1}});
  CHECK(host::read_file(path) == "{\n  \"a\": 1\n}\n");
  host::json_file(path).write({{"a", 1}}, 1);
  CHECK(host::read_file(path) == "{\n \"a\": 1\n}\n");
}

TEST_CASE("a file that is not there is a usage error that names it") {
  CHECK_THROWS_AS(host::read_file("/no/such/file"), host::usage_error);
  CHECK_THROWS_WITH(host::read_file("/no/such/file"), ContainsSubstring("there is no file /no/such/file"));
  CHECK_THROWS_AS(host::read_file("/"), host::usage_error);
}
