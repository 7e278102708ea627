/** Adds many at once. Spread into push(), each would take a place on the stack, and a hostile object brings too many. */
export function appendAll<T>(into: T[], more: Iterable<T>): void {
  for (const one of more) into.push(one)
}
