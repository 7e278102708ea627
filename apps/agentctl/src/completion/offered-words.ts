import type { Command, Offer } from '../cli/command.ts'
import { namesOf, platformKinds } from '../cluster/known-kinds.ts'

/** Names of objects of a kind, from the cluster. Fails, or is slow, as clusters are. */
export type ObjectNames = (kind: string, typed: readonly string[]) => Promise<readonly string[]>

/** The words that may stand in the place of the last of those that were typed, which may be empty. */
export async function offeredWords(
  typed: readonly string[],
  commands: readonly Command[],
  objectNames: ObjectNames,
): Promise<string[]> {
  const current = typed.at(-1) ?? ''
  const matching = (words: readonly string[]) =>
    words.filter((word) => word.startsWith(current)).toSorted()
  if (typed.length <= 1) return matching(['help', ...commands.map(({ name }) => name)])
  const [name, ...before] = typed.slice(0, -1)
  if (name === 'help') return matching(commands.map((each) => each.name))
  const command = commands.find((each) => each.name === name)
  if (command === undefined) return []
  const waiting = flagThatWaits(command, before.at(-1))
  if (waiting !== undefined) return matching(waiting)
  if (current.startsWith('-')) return matching(flagsOf(command))
  const words = wordsAlone(command, before)
  const wanted = command.arguments ?? []
  const place = Math.min(words.length, wanted.length - 1)
  const argument = wanted[place]
  if (argument === undefined || (words.length > place && argument.rest !== true)) return []
  return matching(
    await offered(
      argument.offers,
      words,
      commands,
      () => objectNames(words[0] ?? '', before),
      () => objectNames('agentruns', before),
    ),
  )
}

async function offered(
  offer: Offer | undefined,
  words: readonly string[],
  commands: readonly Command[],
  ofKind: () => Promise<readonly string[]>,
  runs: () => Promise<readonly string[]>,
): Promise<readonly string[]> {
  switch (offer) {
    case undefined:
      return []
    case 'kind':
      return platformKinds.flatMap((kind) => namesOf(kind))
    case 'command':
      return commands.map(({ name }) => name)
    case 'object':
      return words.length === 0 ? [] : ofKind()
    case 'run':
      return runs()
    default:
      return offer
  }
}

/** The values of a flag that stands before the cursor and wants one. */
function flagThatWaits(
  { options }: Command,
  before: string | undefined,
): readonly string[] | undefined {
  if (before === undefined || !before.startsWith('-') || before.includes('=')) return undefined
  const option = Object.entries(options).find(
    ([name, { short }]) =>
      before === `--${name}` || (short !== undefined && before === `-${short}`),
  )?.[1]
  return option?.type === 'string' ? (option.choices ?? []) : undefined
}

function flagsOf({ options }: Command): string[] {
  return [...Object.keys(options).map((name) => `--${name}`), '--help']
}

/** Without flags and their values. */
function wordsAlone(command: Command, before: readonly string[]): string[] {
  return before.filter((word, index) => {
    if (word.startsWith('-')) return false
    return flagThatWaits(command, before[index - 1]) === undefined
  })
}
