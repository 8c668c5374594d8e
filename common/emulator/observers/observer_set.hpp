#pragma once
/// \file
/// A set of observers that is handled like one.

#include <cstddef>
#include <optional>
#include <tuple>
#include <utility>

#include "emulator/observers/observer.hpp"

namespace emulator::observers {

/// Contains those of `Observers` that a launch needs.
template <typename... Observers>
class observer_set {
 public:
  explicit observer_set(block_context& context) { (add_if_wanted<Observers>(context), ...); }
  observer_set(const observer_set&) = delete;
  observer_set& operator=(const observer_set&) = delete;

  /// Calls `act(observer)` for each observer in the set, in the order of the list. If an observer does not declare a
  /// member function, it inherits the empty one of `observer`, so the compiler removes the call and the test
  /// before it.
  template <typename Act>
  void each(Act act) {
    (call_if_there(std::get<std::optional<Observers>>(all_), act), ...);
  }

  /// Returns true if `holds(observer)` is true for at least one of them.
  template <typename Predicate>
  [[nodiscard]] bool any(Predicate holds) {
    bool result = false;
    each([&](auto& one) { result = result || holds(one); });
    return result;
  }

  template <typename Observer>
  [[nodiscard]] Observer& get() {
    return *std::get<std::optional<Observer>>(all_);
  }

  /// The results of these observers for a launch.
  class of_launch {
   public:
    explicit of_launch(launch_observation& launch) : parts_(part<Observers>(launch)...) {}

    /// Takes over the results of `from` since the last call.
    void take(observer_set& from) {
      from.each([this]<typename Observer>(Observer& one) { one.flush(get<Observer>()); });
    }
    /// Calls `act(part)` for the part of each observer, in the order of the list.
    template <typename Act>
    void each(Act act) {
      (act(get<Observers>()), ...);
    }
    template <typename Observer>
    [[nodiscard]] typename Observer::of_launch& get() {
      return std::get<part<Observer>>(parts_).what;
    }

   private:
    /// Makes a separate type for each observer, so that a part can be looked up by its observer.
    template <typename Observer>
    struct part {
      explicit part(launch_observation& launch) : what(launch) {}
      typename Observer::of_launch what;
    };
    std::tuple<part<Observers>...> parts_;
  };

 private:
  template <typename Observer>
  void add_if_wanted(block_context& context) {
    if (Observer::is_wanted(context.launch)) std::get<std::optional<Observer>>(all_).emplace(context);
  }
  template <typename Observer, typename Act>
  static void call_if_there(std::optional<Observer>& one, Act& act) {
    if (one) act(*one);
  }

  std::tuple<std::optional<Observers>...> all_;
};

}  // namespace emulator::observers
