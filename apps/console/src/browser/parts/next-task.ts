/** Lets the page do what waits: it answers to its reader and draws before long work continues. */
export function nextTask(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0))
}
