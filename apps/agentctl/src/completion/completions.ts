import {
  type Command,
  type ListedCommand,
  loadCommand,
  type Offer,
  type Option,
  type Options,
} from '../cli/command.ts'
import { commandFirst } from '../cli/parse-command-line.ts'
import { findPlatformKind, namesOf, platformKinds } from '../cluster/known-kinds.ts'

/** Names of objects of a kind, from the cluster. Fails, or is slow, as clusters are. */
type ObjectNames = (kind: string, typed: readonly string[]) => Promise<readonly string[]>

/** The words that complete the last typed word, which may be empty. */
export async function completions(
  typed: readonly string[],
  commands: readonly ListedCommand[],
  objectNames: ObjectNames,
  /** Flags that may also precede the command. */
  globalOptions: Options = {},
): Promise<string[]> {
  const all = withoutBreaks(typed)
  const current = all.at(-1) ?? ''
  const matching = (words: readonly string[]) =>
    words.filter((word) => word.startsWith(current)).toSorted()
  const [name, ...rest] = commandFirst(all.slice(0, -1), globalOptions)
  if (name === 'help') return matching(commands.map((each) => each.name))
  const isNamed = name !== undefined && !name.startsWith('-')
  const listed = commands.find((each) => each.name === name)
  if (isNamed && listed === undefined) return []
  const names = ['help', ...commands.map((each) => each.name)]
  const command = listed ? await loadCommand(listed) : programLine(names, globalOptions)
  const before = isNamed ? rest : all.slice(0, -1)
  const words = positionalArguments(command, before)
  const candidatesOf = async (offer: Offer | undefined): Promise<readonly string[]> => {
    if (offer === undefined) return []
    if (offer === 'kind') return platformKinds.flatMap((kind) => namesOf(kind))
    if (offer === 'command') return commands.map((each) => each.name)
    if (offer === 'object') return words[0] === undefined ? [] : objectNames(words[0], before)
    if (!('namesOf' in offer)) return offer
    const others = (offer.also ?? []).map(async (plural) => {
      const word = findPlatformKind(plural)?.singular ?? plural
      return (await objectNames(plural, before)).map((one) => `${word}/${one}`)
    })
    return (await Promise.all([objectNames(offer.namesOf, before), ...others])).flat()
  }
  const waiting = flagThatWaits(command, before.at(-1))
  if (waiting !== undefined) return matching(await candidatesOf(waiting.choices ?? waiting.offers))
  const flag = /^--[^=]+(?==)/.exec(current)?.[0]
  if (flag !== undefined) {
    const option = flagThatWaits(command, flag)
    const values = await candidatesOf(option?.choices ?? option?.offers)
    return matching(values.map((value) => `${flag}=${value}`))
  }
  if (current.startsWith('-')) return matching(flagsOf(command))
  const wanted = command.arguments ?? []
  const place = Math.min(words.length, wanted.length - 1)
  const argument = wanted[place]
  if (argument === undefined || (words.length > place && argument.rest !== true)) return []
  return matching(await candidatesOf(argument.offers))
}

type Completed = Pick<Command, 'options' | 'arguments'>

/** What can be typed before there is a command: global flags, and the command itself. */
function programLine(names: readonly string[], globalOptions: Options): Completed {
  const version = { type: 'boolean', help: '' } as const
  return {
    options: { ...globalOptions, version },
    arguments: [{ name: 'COMMAND', offers: names }],
  }
}

/** For bash `--agent=scr` is three words, and the last of them is what it wants to complete. */
function withoutBreaks(typed: readonly string[]): string[] {
  const words = typed.filter((word, index) => word !== '=' || !typed[index - 1]?.startsWith('--'))
  return words.length < typed.length && typed.at(-1) === '=' ? [...words, ''] : words
}

/** The flag before the cursor, if it needs a value. */
function flagThatWaits({ options }: Completed, before: string | undefined): Option | undefined {
  if (before === undefined || !before.startsWith('-') || before.includes('=')) return undefined
  const option = Object.entries(options).find(
    ([name, { short }]) =>
      before === `--${name}` || (short !== undefined && before === `-${short}`),
  )?.[1]
  return option?.type === 'string' ? option : undefined
}

function flagsOf({ options }: Completed): string[] {
  return [...Object.keys(options).map((name) => `--${name}`), '--help']
}

/** Without flags and their values. */
function positionalArguments(command: Completed, before: readonly string[]): string[] {
  return before.filter((word, index) => {
    if (word.startsWith('-')) return false
    return flagThatWaits(command, before[index - 1]) === undefined
  })
}
