import { expect, test } from 'vitest'
import { commandGroups } from '../commands/command-groups.ts'
import { offeredWords } from './offered-words.ts'

const commands = commandGroups.flatMap((group) => group.commands)

const cluster: Record<string, string[]> = {
  agentruns: ['first-run', 'second'],
  runs: ['first-run', 'second'],
  agents: ['scripted'],
  implementationspecs: ['hello', 'release'],
  namespaces: ['agents', 'team'],
}

const names = async (kind: string) => cluster[kind] ?? []

const offered = (...typed: string[]) => offeredWords(typed, commands, names)

test.each([
  { because: 'commands by their beginning', typed: ['de'], words: ['describe'] },
  {
    because: 'names of objects of the kind before',
    typed: ['get', 'agents', ''],
    words: ['scripted'],
  },
  {
    because: 'more names after the first',
    typed: ['describe', 'runs', 'second', 'f'],
    words: ['first-run'],
  },
  { because: 'runs where only a run can stand', typed: ['logs', '-f', 'sec'], words: ['second'] },
  { because: 'nothing after the last argument', typed: ['logs', 'second', ''], words: [] },
  {
    because: 'the values of a flag',
    typed: ['get', 'runs', '-o', ''],
    words: ['json', 'name', 'wide', 'yaml'],
  },
  {
    because: 'a flag with its value takes no place',
    typed: ['get', '-n', 'team', 'agents', ''],
    words: ['scripted'],
  },
  { because: 'agents for a run', typed: ['run', '--agent', 's'], words: ['scripted'] },
  { because: 'agents by the short flag', typed: ['run', '-a', ''], words: ['scripted'] },
  {
    because: 'specs, whatever stands before',
    typed: ['run', '-a', 'scripted', '--spec', ''],
    words: ['hello', 'release'],
  },
  { because: 'namespaces', typed: ['get', 'runs', '-n', 't'], words: ['team'] },
  {
    because: 'a value that is joined to its flag, as zsh and fish give it',
    typed: ['run', '--agent=s'],
    words: ['--agent=scripted'],
  },
  {
    because: 'a value that is joined to its flag, as bash gives it',
    typed: ['run', '--agent', '=', 's'],
    words: ['scripted'],
  },
  {
    because: 'all values after the sign, as bash gives it',
    typed: ['get', 'runs', '--namespace', '='],
    words: ['agents', 'team'],
  },
  { because: 'nothing for a flag that takes any text', typed: ['run', '--text', ''], words: [] },
  { because: 'nothing joined to what is no flag', typed: ['run', '--nonsense=x'], words: [] },
  { because: 'shells', typed: ['completion', 'z'], words: ['zsh'] },
  {
    because: 'flags',
    typed: ['down', '--'],
    words: ['--help', '--quiet', '--state-dir', '--timeout'],
  },
  { because: 'nothing for what is no command', typed: ['nonsense', ''], words: [] },
])('$because', async ({ typed, words }) => {
  expect(await offered(...typed)).toEqual(words)
})

test('the cluster is told which namespace was typed, and for whom', async () => {
  const asked: unknown[] = []
  const words = ['run', '--namespace', '=', 'team', '-a', '']
  await offeredWords(words, commands, async (kind, before) => {
    asked.push(kind, before)
    return []
  })
  expect(asked).toEqual(['agents', ['--namespace', 'team', '-a']])
})

test('kinds by all their names', async () => {
  expect(await offered('get', 'agentr')).toEqual(['agentrun', 'agentruns'])
  expect(await offered('get', 'ru')).toEqual(['run', 'runs'])
})
