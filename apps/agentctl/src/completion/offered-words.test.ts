import { expect, test } from 'vitest'
import { commandGroups } from '../commands/command-groups.ts'
import { offeredWords } from './offered-words.ts'

const commands = commandGroups.flatMap((group) => group.commands)

const names = async (kind: string) =>
  kind === 'agentruns' || kind === 'runs'
    ? ['first-run', 'second']
    : kind === 'agents'
      ? ['scripted']
      : []

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

test('kinds by all their names', async () => {
  expect(await offered('get', 'agentr')).toEqual(['agentrun', 'agentruns'])
  expect(await offered('get', 'ru')).toEqual(['run', 'runs'])
})
