/** Appends many elements. `push(...more)` would put each of them on the stack, which a hostile object could exhaust. */
export function appendAll<T>(into: T[], more: Iterable<T>): void {
  for (const one of more) into.push(one)
}
