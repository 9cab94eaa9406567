const x = require("./x");

class Pump {
  start() {
    x();
  }
}

function* readings() {
  yield 1;
}

module.exports = { Pump };
