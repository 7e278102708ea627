import type { Command, Offer, Option } from '../cli/command.ts'
import { namesOf, platformKinds } from '../cluster/known-kinds.ts'

/** Names of objects of a kind, from the cluster. Fails, or is slow, as clusters are. */
export type ObjectNames = (kind: string, typed: readonly string[]) => Promise<readonly string[]>

/** The words that may stand in the place of the last of those that were typed, which may be empty. */
export async function offeredWords(
  typed: readonly string[],
  commands: readonly Command[],
  objectNames: ObjectNames,
): Promise<string[]> {
  const all = withoutBreaks(typed)
  const current = all.at(-1) ?? ''
  const matching = (words: readonly string[]) =>
    words.filter((word) => word.startsWith(current)).toSorted()
  if (all.length <= 1) return matching(['help', ...commands.map(({ name }) => name)])
  const [name, ...before] = all.slice(0, -1)
  if (name === 'help') return matching(commands.map((each) => each.name))
  const command = commands.find((each) => each.name === name)
  if (command === undefined) return []
  const words = wordsAlone(command, before)
  const wordsOf = async (offer: Offer | undefined): Promise<readonly string[]> => {
    if (offer === undefined) return []
    if (offer === 'kind') return platformKinds.flatMap((kind) => namesOf(kind))
    if (offer === 'command') return commands.map((each) => each.name)
    if (offer === 'object') return words[0] === undefined ? [] : objectNames(words[0], before)
    return 'namesOf' in offer ? objectNames(offer.namesOf, before) : offer
  }
  const waiting = flagThatWaits(command, before.at(-1))
  if (waiting !== undefined) return matching(await wordsOf(waiting.choices ?? waiting.offers))
  const flag = /^--[^=]+(?==)/.exec(current)?.[0]
  if (flag !== undefined) {
    const option = flagThatWaits(command, flag)
    const values = await wordsOf(option?.choices ?? option?.offers)
    return matching(values.map((value) => `${flag}=${value}`))
  }
  if (current.startsWith('-')) return matching(flagsOf(command))
  const wanted = command.arguments ?? []
  const place = Math.min(words.length, wanted.length - 1)
  const argument = wanted[place]
  if (argument === undefined || (words.length > place && argument.rest !== true)) return []
  return matching(await wordsOf(argument.offers))
}

/** For bash `--agent=scr` is three words, and the last of them is what it wants to complete. */
function withoutBreaks(typed: readonly string[]): string[] {
  const words = typed.filter((word, index) => word !== '=' || !typed[index - 1]?.startsWith('--'))
  return words.length < typed.length && typed.at(-1) === '=' ? [...words, ''] : words
}

/** The flag that stands before the cursor and wants a value. */
function flagThatWaits({ options }: Command, before: string | undefined): Option | undefined {
  if (before === undefined || !before.startsWith('-') || before.includes('=')) return undefined
  const option = Object.entries(options).find(
    ([name, { short }]) =>
      before === `--${name}` || (short !== undefined && before === `-${short}`),
  )?.[1]
  return option?.type === 'string' ? option : undefined
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
