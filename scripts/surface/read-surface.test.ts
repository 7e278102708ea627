import { describe, expect, test } from 'vitest'
import { commandNames, readCommandHelp } from './command-surface.ts'
import { withoutTexts } from './definition-surface.ts'
import { domainNamesIn, metricsIn, namesIn, variablesIn } from './source-names.ts'
import { sortKeys } from './surface.ts'

describe('definitions', () => {
  test('lose their descriptions and messages, but keep fields with these names', () => {
    const schema = {
      description: 'An object.',
      properties: { description: { type: 'string', description: 'A text.' } },
      'x-kubernetes-validations': [{ rule: 'self.a', message: 'a is needed', reason: 'x' }],
    }
    expect(withoutTexts(schema)).toEqual({
      properties: { description: { type: 'string' } },
      'x-kubernetes-validations': [{ rule: 'self.a', reason: 'x' }],
    })
  })
})

describe('help', () => {
  test('lists the commands', () => {
    const overview = 'agentctl runs.\n\nRuns\n  run    Run\n  logs   Show logs\n\nMore  text\n'
    expect(commandNames(overview)).toEqual(['run', 'logs'])
  })

  test('lists arguments and flags, whatever their descriptions contain', () => {
    const help = [
      'Wait.\n\nUsage\n  agentctl wait KIND [NAME...] [flags]\n\nFlags',
      '  -o, --output FORMAT   How to print it. One of json, yaml.',
      '      --for GOAL        What to wait for. May be repeated.',
      '  -h, --help            Show this help.\n',
    ].join('\n')
    expect(readCommandHelp(help)).toEqual({
      usage: 'agentctl wait KIND [NAME...] [flags]',
      flags: {
        '--output': { short: '-o', value: 'FORMAT', choices: ['json', 'yaml'] },
        '--for': { value: 'GOAL', repeated: true },
        '--help': { short: '-h' },
      },
    })
  })
})

describe('sources', () => {
  const sources = [
    "new Gauge({ name: 'queue_depth', labelNames: ['name'] })",
    "const notMetric = 'snake_case'; process.env.HOME; world.environment.KUBECONFIG",
    "environment.KUBECONFIG; const label = 'agents.proompteng.ai/run'",
  ]

  test.each([
    { of: 'metrics', find: metricsIn, names: ['queue_depth'] },
    { of: 'variables', find: variablesIn, names: ['HOME', 'KUBECONFIG'] },
    { of: 'labels', find: domainNamesIn, names: ['agents.proompteng.ai/run'] },
  ])('give the names of $of', ({ find, names }) => {
    expect(namesIn(sources, find)).toEqual(names)
  })
})

test('keys are sorted at every depth', () => {
  const sorted = JSON.stringify(sortKeys({ b: [{ d: 1, c: 2 }], a: null }))
  expect(sorted).toBe('{"a":null,"b":[{"c":2,"d":1}]}')
})
