import { x } from "./x";

export class Pump {
  unit = 1;

  start(): void {
    x();
  }
}

export function stop(): void {}

const later = () => 1;

interface Gauge {
  read(): number;
}

namespace tools {
  export function mend(): void {}
}
