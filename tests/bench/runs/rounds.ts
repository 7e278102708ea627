import type { Share } from './budget.ts'
import type { Measured } from './processor-time.ts'

/**
 * Measures both sides once per round, and in every second round in the other order: the speed of a machine changes
 * within minutes, and what changes steadily then concerns both alike.
 */
export async function alternate<A, B>(
  rounds: number,
  first: () => Promise<A>,
  second: () => Promise<B>,
  onRound?: (round: number, one: A, other: B) => void,
): Promise<{ readonly ofFirst: readonly A[]; readonly ofSecond: readonly B[] }> {
  const ofFirst: A[] = []
  const ofSecond: B[] = []
  for (let round = 1; round <= rounds; round += 1) {
    const steps = [
      async () => ofFirst.push(await first()),
      async () => ofSecond.push(await second()),
    ]
    for (const step of round % 2 === 1 ? steps : steps.toReversed()) await step()
    onRound?.(round, ofFirst.at(-1) as A, ofSecond.at(-1) as B)
  }
  return { ofFirst, ofSecond }
}

/** All rounds together. */
export function together(rounds: readonly Share<Measured>[]): Share<Measured> {
  const programs = new Set(rounds.flatMap(({ of }) => Object.keys(of.times)))
  const sum = (value: (round: Share<Measured>) => number): number =>
    rounds.reduce((all, round) => all + value(round), 0)
  const times = [...programs].map((name) => [name, sum(({ of }) => of.times[name] ?? 0)])
  return {
    count: sum(({ count }) => count),
    of: { wallMs: sum(({ of }) => of.wallMs), times: Object.fromEntries(times) },
  }
}
