export function Panel() {
  return <b>펌프</b>;
}
