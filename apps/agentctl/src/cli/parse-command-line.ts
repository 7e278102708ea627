import { parseArgs } from 'node:util'
import type { Argument, Command, Input, Option, Options } from './command.ts'
import { usageFailure } from './command-failure.ts'
import { kindAndNames } from './kind-and-names.ts'
import { nearestWord } from './nearest-word.ts'

export type ParsedLine =
  | { readonly asks: 'help'; readonly command: Command | undefined }
  | { readonly asks: 'command'; readonly command: Command; readonly input: Input<Values> }

type Values = Record<string, unknown>

const help = { type: 'boolean', short: 'h', help: 'Show this help.' } as const

/** Throws a CommandFailure that says what is wrong with the line, and what was probably meant. */
export function parseCommandLine(
  args: readonly string[],
  commands: readonly Command[],
): ParsedLine {
  const [name, ...rest] = args
  if (name === undefined || name === '-h' || name === '--help') {
    return { asks: 'help', command: undefined }
  }
  if (name === 'help')
    return { asks: 'help', command: rest[0] ? find(rest[0], commands) : undefined }
  if (name.startsWith('-')) {
    throw usageFailure(
      `the command comes first, before ${name}`,
      'agentctl --help lists the commands.',
    )
  }
  const command = find(name, commands)
  const { values, positionals: given } = readFlags(command, rest)
  if (values.help === true) return { asks: 'help', command }
  const positionals = command.arguments?.[0]?.offers === 'kind' ? kindAndNames(given) : given
  checkArguments(command, positionals)
  return { asks: 'command', command, input: { values, positionals } }
}

function find(name: string, commands: readonly Command[]): Command {
  const found = commands.find((command) => command.name === name)
  if (found !== undefined) return found
  const meant = nearestWord(
    name,
    commands.map((command) => command.name),
  )
  throw usageFailure(
    `there is no command ${name}`,
    ...(meant === undefined ? [] : [`Did you mean "agentctl ${meant}"?`]),
    'agentctl --help lists the commands.',
  )
}

/** Not strict, so that what is wrong is said in our words, with what was probably meant. */
function readFlags(command: Command, args: readonly string[]) {
  const options: Options = { ...command.options, help }
  const { tokens, positionals } = parseArgs({
    args: [...args],
    options: Object.fromEntries(
      Object.entries(options).map(([name, { type, short }]) => [
        name,
        { type, ...(short !== undefined && { short }) },
      ]),
    ),
    strict: false,
    allowPositionals: true,
    allowNegative: false,
    tokens: true,
  })
  const values: Values = {}
  for (const [name, option] of Object.entries(options)) {
    values[name] = option.type === 'boolean' ? false : option.multiple === true ? [] : undefined
  }
  for (const token of tokens) {
    if (token.kind !== 'option') continue
    const option = options[token.name]
    if (option === undefined) throw unknownFlag(command, token.rawName, options)
    // What was meant as the next flag is no value, unless it was tied to this one.
    const isNext = token.inlineValue === false && isFlag(token.value, options)
    const value = flagValue(command, token.rawName, option, isNext ? undefined : token.value)
    if (option.multiple === true) (values[token.name] as string[]).push(String(value))
    else values[token.name] = value
  }
  return { values, positionals }
}

function isFlag(word: string, options: Options): boolean {
  const [, name = ''] = /^--([^=]+)/.exec(word) ?? []
  return options[name] !== undefined
}

function flagValue(
  command: Command,
  flag: string,
  option: Option,
  value: string | undefined,
): string | boolean {
  if (option.type === 'boolean') {
    if (value === undefined || value === 'true') return true
    if (value === 'false') return false
    throw usageFailure(`${flag} takes no value, or true or false`, seeHelp(command))
  }
  if (value === undefined) {
    throw usageFailure(
      `${flag} needs a value: ${flag} ${option.value ?? 'VALUE'}`,
      seeHelp(command),
    )
  }
  if (option.choices !== undefined && !option.choices.includes(value)) {
    throw usageFailure(
      `${flag} must be one of ${option.choices.join(', ')}, not ${JSON.stringify(value)}`,
      seeHelp(command),
    )
  }
  return value
}

function unknownFlag(command: Command, flag: string, options: Options) {
  const meant = nearestWord(flag.replace(/^-+/, ''), Object.keys(options))
  return usageFailure(
    `agentctl ${command.name} has no flag ${flag}`,
    ...(meant === undefined ? [] : [`Did you mean --${meant}?`]),
    seeHelp(command),
  )
}

function checkArguments(command: Command, given: readonly string[]): void {
  const wanted = command.arguments ?? []
  const missing = wanted.slice(given.length).find(({ optional }) => optional !== true)
  if (missing !== undefined) {
    throw usageFailure(
      `${missing.name} is missing: agentctl ${synopsis(command)}`,
      seeHelp(command),
    )
  }
  if (given.length > wanted.length && wanted.at(-1)?.rest !== true) {
    throw usageFailure(
      `agentctl ${command.name} does not know what to do with ${JSON.stringify(given[wanted.length])}`,
      seeHelp(command),
    )
  }
}

/** `get KIND [NAME...]` */
export function synopsis({ name, arguments: wanted = [] }: Command): string {
  return [name, ...wanted.map(argumentText)].join(' ')
}

function argumentText({ name, optional, rest }: Argument): string {
  const text = rest === true ? `${name}...` : name
  return optional === true ? `[${text}]` : text
}

function seeHelp({ name }: Command): string {
  return `agentctl ${name} --help has all flags and an example.`
}
