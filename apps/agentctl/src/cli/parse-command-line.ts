import { parseArgs } from 'node:util'
import {
  type Argument,
  type Command,
  type Input,
  type ListedCommand,
  loadCommand,
  type Option,
  type Options,
} from './command.ts'
import { usageFailure } from './command-failure.ts'
import { kindAndNames } from './kind-and-names.ts'
import { nearestWord } from './nearest-word.ts'

type ParsedLine =
  | { readonly requests: 'help'; readonly command: Command | undefined }
  | { readonly requests: 'command'; readonly command: Command; readonly input: Input<Values> }

type Values = Record<string, unknown>

const help = { type: 'boolean', short: 'h', help: 'Show this help.' } as const

/** Parses a command line. Throws a CommandFailure that explains the mistake and suggests a correction. */
export async function parseCommandLine(
  args: readonly string[],
  commands: readonly ListedCommand[],
  /** Flags that may also precede the command. */
  globalOptions: Options = {},
): Promise<ParsedLine> {
  const [name, ...rest] = commandFirst(args, globalOptions)
  if (name === undefined || name === '-h' || name === '--help') {
    return { requests: 'help', command: undefined }
  }
  if (name === 'help')
    return { requests: 'help', command: rest[0] ? await find(rest[0], commands) : undefined }
  if (name === '--version')
    return await parseCommandLine(['version', '--client', ...rest], commands)
  if (name.startsWith('-')) {
    throw usageFailure(`${name} must follow a command`, 'To list the commands: agentctl --help')
  }
  const command = await find(name, commands)
  const { values, positionals: given } = readFlags(command, rest)
  if (values.help === true) return { requests: 'help', command }
  const positionals = command.arguments?.[0]?.offers === 'kind' ? kindAndNames(given) : given
  checkArguments(command, positionals)
  return { requests: 'command', command, input: { values, positionals } }
}

/** Moves global flags that precede the command behind it, as in `-n team get runs`. */
export function commandFirst(args: readonly string[], globalOptions: Options): readonly string[] {
  let at = 0
  for (;;) {
    const option = globalOption(args[at], globalOptions)
    if (option === undefined) break
    at += option.type === 'string' && args[at]?.includes('=') === false ? 2 : 1
  }
  const name = args[at]
  return name === undefined ? args : [name, ...args.slice(0, at), ...args.slice(at + 1)]
}

function globalOption(word: string | undefined, globalOptions: Options): Option | undefined {
  const flag = word?.replace(/=.*/s, '')
  return Object.entries(globalOptions).find(
    ([name, { short }]) => flag === `--${name}` || flag === `-${short}`,
  )?.[1]
}

async function find(name: string, commands: readonly ListedCommand[]): Promise<Command> {
  const found = commands.find((command) => command.name === name)
  if (found !== undefined) return await loadCommand(found)
  const suggestion = nearestWord(
    name,
    commands.map((command) => command.name),
  )
  throw usageFailure(
    `unknown command ${JSON.stringify(name)}`,
    ...(suggestion === undefined ? [] : [`Did you mean "agentctl ${suggestion}"?`]),
    'To list the commands: agentctl --help',
  )
}

/** Parses flags. parseArgs is not strict here, so that our errors can suggest a correction. */
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
  const unknown = tokens.flatMap((token) =>
    token.kind === 'option' && options[token.name] === undefined ? [token.rawName] : [],
  )
  if (unknown.length > 0) throw unknownFlags(command, [...new Set(unknown)], options)
  for (const token of tokens) {
    if (token.kind !== 'option') continue
    const option = options[token.name]
    if (option === undefined) continue
    // A known flag is not taken as the value of the flag before it, unless joined with `=`.
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
    throw usageFailure(`${flag} is a switch: its value can only be true or false`, seeHelp(command))
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

function unknownFlags(command: Command, flags: readonly string[], options: Options) {
  const nearest = flags.map((flag) => nearestWord(flag.replace(/^-+/, ''), Object.keys(options)))
  const suggestions = [...new Set(nearest.filter((name) => name !== undefined))]
  return usageFailure(
    `unknown ${flags.length === 1 ? 'flag' : 'flags'} ${flags.join(', ')} of agentctl ${command.name}`,
    ...(suggestions.length === 0
      ? []
      : [`Did you mean ${suggestions.map((name) => `--${name}`).join(', ')}?`]),
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
      `unexpected argument ${JSON.stringify(given[wanted.length])} of agentctl ${command.name}`,
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
  return `For all flags and an example: agentctl ${name} --help`
}
