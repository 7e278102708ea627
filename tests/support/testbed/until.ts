interface UntilOptions {
  readonly timeoutMs?: number
  readonly everyMs?: number
}

/** Polls until the result is truthy and returns it. The default timeout only ends tests that would hang. */
export async function until<T>(
  ask: () => Promise<T> | T,
  otherwise = 'the condition did not become true in time',
  { timeoutMs = 600_000, everyMs = 20 }: UntilOptions = {},
): Promise<NonNullable<T>> {
  const deadline = performance.now() + timeoutMs
  for (;;) {
    const answer = await ask()
    if (answer) return answer
    if (performance.now() > deadline) throw new Error(otherwise)
    await new Promise((resolve) => setTimeout(resolve, everyMs))
  }
}
