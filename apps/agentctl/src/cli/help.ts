import type { Command, ListedCommand, Option } from './command.ts'
import { synopsis } from './parse-command-line.ts'
import type { Style } from './style.ts'
import { columns } from './text-table.ts'

export interface CommandGroup {
  readonly title: string
  readonly commands: readonly ListedCommand[]
}

export function overview(groups: readonly CommandGroup[], style: Style): string {
  const sections = groups.map(({ title, commands }) => {
    const rows = commands.map(({ name, summary }) => [`  ${name}`, summary])
    return `${style.bold(title)}\n${columns(rows)}`
  })
  return [
    'agentctl runs AI agents as Kubernetes resources, on this machine or on any cluster.\n',
    ...sections,
    'For the flags of a command and an example: agentctl COMMAND --help\n',
  ].join('\n')
}

export function commandHelp(command: Command, style: Style): string {
  const { summary, about, examples, options } = command
  const flags = Object.entries({
    ...options,
    help: { type: 'boolean', short: 'h', help: 'Show this help.' } as const,
  }).map(([name, option]) => [`  ${flagText(name, option)}`, helpOf(option)])
  const lines = examples.map(({ does, line }) => `  # ${does}\n  ${line}\n`)
  return [
    `${summary}.\n`,
    ...(about === undefined ? [] : [`${about}\n`]),
    `${style.bold('Usage')}\n  agentctl ${synopsis(command)} [flags]\n`,
    `${style.bold(lines.length === 1 ? 'Example' : 'Examples')}\n${lines.join('\n')}`,
    `${style.bold('Flags')}\n${columns(flags)}`,
  ].join('\n')
}

function flagText(name: string, { short, type, value = 'VALUE' }: Option): string {
  const flag = short === undefined ? `    --${name}` : `-${short}, --${name}`
  return type === 'boolean' ? flag : `${flag} ${value}`
}

function helpOf({ help, choices, multiple }: Option): string {
  const more = [
    ...(choices === undefined ? [] : [`One of ${choices.join(', ')}.`]),
    ...(multiple === true ? ['May be repeated.'] : []),
  ]
  return [help, ...more].join(' ')
}
