#include <vector>

namespace plant {

class Pump {
 public:
  void start();
  int rate() const { return 1; }
};

void Pump::start() {
}

}  // namespace plant

template <class T>
T twice(T value) {
  return value + value;
}
