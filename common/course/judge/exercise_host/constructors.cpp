#include "course/judge/exercise_host/parts.hpp"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <cstdint>

namespace judge {
namespace {

// The tags under which library.py hides DT_INIT_ARRAY and DT_INIT_ARRAYSZ. They are in the range for application use,
// which dynamic linkers ignore.
constexpr ElfW(Sxword) hidden_array = 0x6057ab01, hidden_array_size = 0x6057ab02;

/// Returns the dynamic linker's entry for the library. If it is not available, returns an entry without a dynamic
/// section.
link_map map_of(void* library) {
  link_map* map = nullptr;
  return dlinfo(library, RTLD_DI_LINKMAP, &map) == 0 && map != nullptr ? *map : link_map{};
}

}  // namespace

void* open_without_constructors(const std::string& path, std::string& why_not) {
  // Resolves all symbols now, so that unsupported CUDA calls are reported before anything runs.
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    const char* words = dlerror();
    why_not = words != nullptr ? words : "the library cannot be opened";
    return nullptr;
  }
  for (const ElfW(Dyn)* entry = map_of(library).l_ld; entry != nullptr && entry->d_tag != DT_NULL; ++entry) {
    if (entry->d_tag == DT_INIT || entry->d_tag == DT_INIT_ARRAY) {
      why_not = "the library has constructors that the dynamic linker has run: it was not prepared";
      return nullptr;
    }
  }
  return library;
}

void run_constructors(void* library) {
  std::uintptr_t array = 0;
  std::size_t size_bytes = 0;
  const link_map map = map_of(library);
  for (const ElfW(Dyn)* entry = map.l_ld; entry != nullptr && entry->d_tag != DT_NULL; ++entry) {
    if (entry->d_tag == hidden_array) array = map.l_addr + entry->d_un.d_ptr;
    if (entry->d_tag == hidden_array_size) size_bytes = entry->d_un.d_val;
  }
  using constructor = void (*)();
  const auto* all = reinterpret_cast<const constructor*>(array);
  for (std::size_t k = 0; array != 0 && k < size_bytes / sizeof(constructor); ++k) {
    if (all[k] != nullptr) all[k]();
  }
}

}  // namespace judge
