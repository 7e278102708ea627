import { expect, test } from 'vitest'
import { clusterOptions } from '../cluster/cluster-options.ts'
import { commandGroups } from '../commands/command-groups.ts'
import { completions } from './completions.ts'

const commands = commandGroups.flatMap((group) => group.commands)

const cluster: Record<string, string[]> = {
  agentruns: ['first-run', 'second'],
  runs: ['first-run', 'second'],
  toolruns: ['build'],
  orchestrationruns: ['nightly-1'],
  agents: ['scripted'],
  implementationspecs: ['hello', 'release'],
  namespaces: ['agents', 'team'],
  gittargets: ['mirror'],
}

async function names(kind: string) {
  return cluster[kind] ?? []
}

function offered(...typed: string[]) {
  return completions(typed, commands, names, clusterOptions)
}

test.each([
  { because: 'commands by prefix', typed: ['de'], words: ['delete', 'deny', 'describe'] },
  {
    because: 'names of objects of the given kind',
    typed: ['get', 'agents', ''],
    words: ['scripted'],
  },
  {
    because: 'more names after the first',
    typed: ['describe', 'runs', 'second', 'f'],
    words: ['first-run'],
  },
  { because: 'runs if the argument is a run', typed: ['logs', '-f', 'sec'], words: ['second'] },
  { because: 'nothing after the last argument', typed: ['logs', 'second', ''], words: [] },
  {
    because: 'runs of all kinds that have output',
    typed: ['logs', ''],
    words: ['first-run', 'orchestrationrun/nightly-1', 'second', 'toolrun/build'],
  },
  {
    because: 'runs of all kinds that can be cancelled',
    typed: ['cancel', 'second', 'o'],
    words: ['orchestrationrun/nightly-1'],
  },
  {
    because: 'runs with a container to enter',
    typed: ['attach', ''],
    words: ['first-run', 'second', 'toolrun/build'],
  },
  { because: 'runs of graphs', typed: ['rerun', ''], words: ['nightly-1'] },
  {
    because: 'the values of a flag',
    typed: ['get', 'runs', '-o', ''],
    words: ['json', 'name', 'wide', 'yaml'],
  },
  {
    because: 'a flag and its value are not arguments',
    typed: ['get', '-n', 'team', 'agents', ''],
    words: ['scripted'],
  },
  { because: 'agents for a run', typed: ['run', '--agent', 's'], words: ['scripted'] },
  { because: 'agents by the short flag', typed: ['run', '-a', ''], words: ['scripted'] },
  {
    because: 'specs, whatever comes before',
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
  { because: 'nothing for an unknown flag', typed: ['run', '--nonsense=x'], words: [] },
  {
    because: 'what can be done with a mirror',
    typed: ['gittarget', 're'],
    words: ['restore'],
  },
  { because: 'mirrors', typed: ['gittarget', 'restore', '-y', ''], words: ['mirror'] },
  { because: 'shells', typed: ['completion', 'z'], words: ['zsh'] },
  {
    because: 'flags',
    typed: ['down', '--'],
    words: ['--help', '--quiet', '--state-dir', '--timeout'],
  },
  {
    because: 'the value of a flag before the command',
    typed: ['--namespace', 't'],
    words: ['team'],
  },
  { because: 'the command after a flag', typed: ['-n', 'team', 'des'], words: ['describe'] },
  {
    because: 'names of objects, with a flag before the command',
    typed: ['-n', 'team', '--context=c', 'get', 'agents', ''],
    words: ['scripted'],
  },
  {
    because: 'flags before the command',
    typed: ['-n', 'team', '--'],
    words: ['--context', '--help', '--kubeconfig', '--namespace', '--state-dir', '--version'],
  },
  {
    because: 'nothing after an unknown flag and a command',
    typed: ['--nonsense', 'get', ''],
    words: [],
  },
  { because: 'nothing for an unknown command', typed: ['nonsense', ''], words: [] },
])('$because', async ({ typed, words }) => {
  expect(await offered(...typed)).toEqual(words)
})

test('names are requested with the kind and the flags that were typed', async () => {
  const requests: unknown[] = []
  const words = ['run', '--namespace', '=', 'team', '-a', '']
  await completions(words, commands, async (kind, before) => {
    requests.push(kind, before)
    return []
  })
  expect(requests).toEqual(['agents', ['--namespace', 'team', '-a']])
})

test('names are requested with the flags before the command', async () => {
  const requests: unknown[] = []
  const words = ['-n', 'team', 'run', '-a', '']
  const noteRequest = async (_kind: string, before: readonly string[]) => {
    requests.push(...before)
    return []
  }
  await completions(words, commands, noteRequest, clusterOptions)
  expect(requests).toEqual(['-n', 'team', '-a'])
})

test('kinds by all their names', async () => {
  expect(await offered('get', 'agentr')).toEqual(['agentrun', 'agentruns'])
  expect(await offered('get', 'ru')).toEqual(['run', 'runs'])
})
