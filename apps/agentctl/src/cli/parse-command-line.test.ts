import { describe, expect, test } from 'vitest'
import { commandGroups } from '../commands/command-groups.ts'
import type { CommandFailure } from './command-failure.ts'
import { commandHelp, overview } from './help.ts'
import { parseCommandLine } from './parse-command-line.ts'
import { createStyle } from './style.ts'

const commands = commandGroups.flatMap((group) => group.commands)

const parse = (line: string) => parseCommandLine(line.split(' ').filter(Boolean), commands)

function failureOf(line: string): CommandFailure {
  try {
    parse(line)
  } catch (error) {
    return error as CommandFailure
  }
  throw new Error(`${line} was understood`)
}

describe('a command line', () => {
  test.each([
    {
      because: 'flags may stand before and after arguments',
      line: 'get -n team runs -o wide first',
      name: 'get',
      values: { namespace: 'team', output: 'wide', watch: false },
      positionals: ['runs', 'first'],
    },
    {
      because: 'repeatable flags are collected, and a value may hold an equals sign',
      line: 'run -p a=1 --param=b=2=3 --no-wait',
      name: 'run',
      values: { param: ['a=1', 'b=2=3'], 'no-wait': true, wait: false, agent: undefined },
      positionals: [],
    },
    {
      because: 'a switch can be turned off by value',
      line: 'get runs --watch=false',
      name: 'get',
      values: { watch: false },
      positionals: ['runs'],
    },
    {
      because: 'what follows two dashes is no flag',
      line: 'logs -- -odd',
      name: 'logs',
      values: { follow: false },
      positionals: ['-odd'],
    },
    {
      because: 'a kind and a name may be one word, as commands print it',
      line: 'describe agentrun.agents.proompteng.ai/one agentrun.agents.proompteng.ai/two',
      name: 'describe',
      values: {},
      positionals: ['agentrun.agents.proompteng.ai', 'one', 'two'],
    },
    {
      because: 'what looks like a flag may be tied to one as its value',
      line: 'run --text=--quiet',
      name: 'run',
      values: { text: '--quiet', quiet: false },
      positionals: [],
    },
  ])('$because', ({ line, name, values, positionals }) => {
    const parsed = parse(line)
    expect(parsed).toMatchObject({
      asks: 'command',
      command: { name },
      input: { values, positionals },
    })
  })

  test.each([
    { line: '', command: undefined },
    { line: '--help', command: undefined },
    { line: 'help run', command: { name: 'run' } },
    { line: 'run --help', command: { name: 'run' } },
    { line: 'get -h', command: { name: 'get' } },
  ])('"$line" asks for help', ({ line, command }) => {
    expect(parse(line).asks).toBe('help')
    if (command === undefined) expect(parse(line).command).toBeUndefined()
    else expect(parse(line).command).toMatchObject(command)
  })

  test.each([
    {
      because: 'a typing error in the command',
      line: 'gte runs',
      says: 'no command gte',
      advises: 'agentctl get',
    },
    {
      because: 'a flag in the place of a value',
      line: 'run --agent --text Greet',
      says: '--agent needs a value',
      advises: 'agentctl run --help',
    },
    {
      because: 'words of two kinds at once',
      line: 'wait run/one agent/two',
      says: 'of one kind',
      advises: '',
    },
    {
      because: 'a typing error in a flag',
      line: 'get runs --wtach',
      says: 'no flag --wtach',
      advises: '--watch',
    },
    {
      because: 'a flag of another command',
      line: 'cancel x --agent y',
      says: 'no flag --agent',
      advises: '--help',
    },
    {
      because: 'a short flag that is not there',
      line: 'get runs -z',
      says: 'no flag -z',
      advises: '--help',
    },
    {
      because: 'a flag in front of the command',
      line: '-n x get runs',
      says: 'the command comes first',
      advises: '--help',
    },
    {
      because: 'a missing argument',
      line: 'logs',
      says: 'RUN is missing: agentctl logs RUN',
      advises: 'example',
    },
    {
      because: 'an argument too many',
      line: 'logs a b',
      says: 'does not know what to do with "b"',
      advises: '--help',
    },
    {
      because: 'a missing value',
      line: 'run --agent',
      says: '--agent needs a value: --agent NAME',
      advises: '--help',
    },
    {
      because: 'a value that is none of the choices',
      line: 'get runs -o xml',
      says: 'wide, json, yaml, name',
      advises: '--help',
    },
    {
      because: 'a value for a switch',
      line: 'get runs --watch=yes',
      says: '--watch takes no value',
      advises: '--help',
    },
  ])('$because is refused, with what to do', ({ line, says, advises }) => {
    const { code, message, advice } = failureOf(line)
    expect(code).toBe(2)
    expect(message).toContain(says)
    expect(advice.join('\n')).toContain(advises)
  })
})

describe('the help', () => {
  const plain = createStyle(false)

  test.each(commands)('of $name says all its flags, and its examples are understood', (command) => {
    const help = commandHelp(command, plain)
    for (const flag of Object.keys(command.options)) expect(help).toContain(`--${flag}`)
    for (const { line } of command.examples) {
      expect(help).toContain(line)
      const [, words = ''] = /agentctl ([^>)]*)/.exec(line) ?? []
      const args = [...words.matchAll(/"([^"]*)"|\S+/g)].map(([word, quoted]) => quoted ?? word)
      expect(parseCommandLine(args, commands)).toMatchObject({
        asks: 'command',
        command: { name: command.name },
      })
    }
  })

  test('lists every command once', () => {
    const text = overview(commandGroups, plain)
    for (const { name, summary } of commands) {
      expect(text.split('\n').filter((line) => line.startsWith(`  ${name} `))).toHaveLength(1)
      expect(text).toContain(summary)
    }
  })

  test('has marks only where there are colours', () => {
    expect(overview(commandGroups, plain)).not.toContain('\x1b')
    expect(overview(commandGroups, createStyle(true))).toContain('\x1b[1m')
  })
})
