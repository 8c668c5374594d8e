// The only file that depends on the tree's folder. A program with its own machines is not linked with it.

#include "timing/model/links.hpp"
#include "timing/model/machine.hpp"
#include "timing/model/paths.hpp"

namespace model {

std::string machines_folder() {
  return machines;
}

std::string known_links() {
  return machines_folder() + "/links_h100.json";
}

}  // namespace model
