import { describe, expect, test } from 'vitest'
import { clusterOptions } from '../cluster/cluster-options.ts'
import { commandGroups } from '../commands/command-groups.ts'
import { loadCommand } from './command.ts'
import type { CommandFailure } from './command-failure.ts'
import { commandHelp, overview } from './help.ts'
import { parseCommandLine } from './parse-command-line.ts'
import { createStyle } from './style.ts'
import { renderText } from './terminal-text.ts'

const commands = commandGroups.flatMap((group) => group.commands)

function parse(line: string) {
  return parseCommandLine(line.split(' ').filter(Boolean), commands, clusterOptions)
}

async function failureOf(line: string): Promise<CommandFailure> {
  try {
    await parse(line)
  } catch (error) {
    return error as CommandFailure
  }
  throw new Error(`${line} was understood`)
}

describe('a command line', () => {
  test.each([
    {
      because: 'flags may come before and after arguments',
      line: 'get -n team runs -o wide first',
      name: 'get',
      values: { namespace: 'team', output: 'wide', watch: false },
      positionals: ['runs', 'first'],
    },
    {
      because: 'flags may come before the command, too',
      line: '-n team --context=other --kubeconfig file get runs -w',
      name: 'get',
      values: { namespace: 'team', context: 'other', kubeconfig: 'file', watch: true },
      positionals: ['runs'],
    },
    {
      because: '--version is the version of agentctl',
      line: '--version',
      name: 'version',
      values: { client: true },
      positionals: [],
    },
    {
      because: 'repeatable flags are collected, and a value may contain an equals sign',
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
      because: 'words after two dashes are not flags',
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
      because: 'a value that looks like a flag may be joined with an equals sign',
      line: 'run --text=--quiet',
      name: 'run',
      values: { text: '--quiet', quiet: false },
      positionals: [],
    },
  ])('$because', async ({ line, name, values, positionals }) => {
    const parsed = await parse(line)
    expect(parsed).toMatchObject({
      requests: 'command',
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
  ])('"$line" requests help', async ({ line, command }) => {
    const parsed = await parse(line)
    expect(parsed.requests).toBe('help')
    if (command === undefined) expect(parsed.command).toBeUndefined()
    else expect(parsed.command).toMatchObject(command)
  })

  test.each([
    {
      because: 'a typing error in the command',
      line: 'gte runs',
      expectedMessage: 'unknown command "gte"',
      advises: 'agentctl get',
    },
    {
      because: 'a flag instead of a value',
      line: 'run --agent --text Greet',
      expectedMessage: '--agent needs a value',
      advises: 'agentctl run --help',
    },
    {
      because: 'names of two kinds',
      line: 'wait run/one agent/two',
      expectedMessage: 'the same kind',
      advises: '',
    },
    {
      because: 'a typing error in a flag',
      line: 'get runs --wtach',
      expectedMessage: 'unknown flag --wtach',
      advises: '--watch',
    },
    {
      because: 'a flag of another command',
      line: 'cancel x --agent y',
      expectedMessage: 'unknown flag --agent',
      advises: '--help',
    },
    {
      because: 'an unknown short flag',
      line: 'get runs -z',
      expectedMessage: 'unknown flag -z',
      advises: '--help',
    },
    {
      because: 'a flag without a command',
      line: '-n x',
      expectedMessage: '-n must follow a command',
      advises: '--help',
    },
    {
      because: 'a flag of one command before it',
      line: '-f file apply',
      expectedMessage: '-f must follow a command',
      advises: '--help',
    },
    {
      because: 'a global flag before a command that does not have it',
      line: '-n x completion bash',
      expectedMessage: 'unknown flag -n of agentctl completion',
      advises: '--help',
    },
    {
      because: 'a missing argument',
      line: 'logs',
      expectedMessage: 'RUN is missing: agentctl logs RUN',
      advises: 'example',
    },
    {
      because: 'an additional argument',
      line: 'logs a b',
      expectedMessage: 'unexpected argument "b"',
      advises: '--help',
    },
    {
      because: 'a missing value',
      line: 'run --agent',
      expectedMessage: '--agent needs a value: --agent NAME',
      advises: '--help',
    },
    {
      because: 'a value that is not one of the choices',
      line: 'get runs -o xml',
      expectedMessage: 'wide, json, yaml, name',
      advises: '--help',
    },
    {
      because: 'a value for a switch',
      line: 'get runs --watch=yes',
      expectedMessage: '--watch is a switch',
      advises: '--help',
    },
  ])('$because is rejected, with advice', async ({ line, expectedMessage, advises }) => {
    const { code, message, advice } = await failureOf(line)
    expect(code).toBe(2)
    expect(message).toContain(expectedMessage)
    expect(advice.join('\n')).toContain(advises)
  })
})

describe('the help', () => {
  const plain = createStyle(false)

  test.each(commands)(
    'of $name lists all its flags, and its examples are valid',
    async (listed) => {
      const command = await loadCommand(listed)
      const help = commandHelp(command, plain)
      for (const flag of Object.keys(command.options)) expect(help).toContain(`--${flag}`)
      for (const { line } of command.examples) {
        expect(help).toContain(line)
        const [, words = ''] = /agentctl ([^>)]*)/.exec(line) ?? []
        const args = [...words.matchAll(/"([^"]*)"|\S+/g)].map(([word, quoted]) => quoted ?? word)
        expect(await parseCommandLine(args, commands)).toMatchObject({
          requests: 'command',
          command: { name: command.name },
        })
      }
    },
  )

  test('lists every command once', () => {
    const text = overview(commandGroups, plain)
    for (const { name, summary } of commands) {
      expect(text.split('\n').filter((line) => line.startsWith(`  ${name} `))).toHaveLength(1)
      expect(text).toContain(summary)
    }
  })

  test('has escape sequences only if colours are enabled', () => {
    expect(overview(commandGroups, plain)).not.toContain('\x1b')
    expect(renderText(overview(commandGroups, createStyle(true)))).toContain('\x1b[1m')
  })
})
