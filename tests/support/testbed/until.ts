interface UntilOptions {
  readonly timeoutMs?: number
  /** If omitted, soon at first and less often later: tests that wait must not keep the others from the processor. */
  readonly everyMs?: number
}

const shortestMs = 20
const longestMs = 100

/** Polls until the result is truthy and returns it. The default timeout only ends tests that would hang. */
export async function until<T>(
  ask: () => Promise<T> | T,
  otherwise = 'the condition did not become true in time',
  { timeoutMs = 600_000, everyMs }: UntilOptions = {},
): Promise<NonNullable<T>> {
  const deadline = performance.now() + timeoutMs
  for (let waitMs = shortestMs; ; waitMs = Math.min(waitMs * 1.25, longestMs)) {
    const answer = await ask()
    if (answer) return answer
    if (performance.now() > deadline) throw new Error(otherwise)
    await new Promise((resolve) => setTimeout(resolve, everyMs ?? waitMs))
  }
}
