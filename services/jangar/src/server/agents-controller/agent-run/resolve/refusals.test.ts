import { describe, expect, test } from 'vitest'
import { resolveWork } from './resolve-work.ts'
import { testRefusals } from './testing/refusal.ts'
import { contract, portsWith, runOf, workflow } from './testing/resolution-fixture.ts'

describe('a run is refused because of its spec', () => {
  testRefusals({
    UnsupportedRuntime: [
      {
        because: 'temporal is not supported',
        run: runOf({ runtime: { type: 'temporal' } }),
        says: /temporal.*use job or workflow/,
      },
      {
        because: 'custom is not supported',
        run: runOf({ runtime: { type: 'custom' } }),
        says: /custom/,
      },
    ],
    InvalidWorkflow: [
      {
        because: 'it has no workflow',
        run: runOf({ runtime: { type: 'workflow' } }),
        says: /no steps/,
      },
      { because: 'it has no steps', run: runOf(workflow()), says: /no steps/ },
      {
        because: 'two steps share a name',
        run: runOf(workflow({ name: 'a' }, { name: 'a' })),
        says: /two steps have the name a;/,
      },
      { because: 'a step has no name', run: runOf(workflow({ name: ' ' })), says: /steps\[0\]/ },
    ],
    InvalidPolicy: [
      {
        because: 'the reservation is negative',
        run: runOf({ policy: { reserve: { tokens: '-1' } } }),
        says: /^policy\.reserve\.tokens: "-1" is not a whole number/,
      },
      {
        because: 'the reservation is not a number',
        run: runOf({ policy: { reserve: { dollars: '1,50' } } }),
        says: /^policy\.reserve\.dollars/,
      },
    ],
    DuplicateIdempotencyKey: [
      {
        because: 'an older run of the same agent has the same idempotency key',
        run: runOf(
          { idempotencyKey: 'k' },
          { metadata: { name: 'late', uid: '2', creationTimestamp: '2026-01-02T00:00:00Z' } },
        ),
        there: [
          runOf(
            { idempotencyKey: 'k' },
            { metadata: { name: 'early', uid: '1', creationTimestamp: '2026-01-01T00:00:00Z' } },
          ),
        ],
        says: /AgentRun early/,
      },
    ],
    InvalidParameters: [
      {
        because: 'the run and its step together have too many parameters',
        run: runOf({
          parameters: Object.fromEntries(Array.from({ length: 60 }, (_, at) => [`a${at}`, ''])),
          ...workflow({
            name: 's',
            parameters: Object.fromEntries(Array.from({ length: 41 }, (_, at) => [`b${at}`, ''])),
          }),
        }),
        says: /101 parameters/,
      },
      {
        because: 'the limit of a parameter is in bytes, not characters',
        run: runOf({ parameters: { long: 'é'.repeat(1025) } }),
        says: /long has 2050 bytes/,
      },
    ],
    MissingRequiredLabels: [
      {
        because: 'the platform requires a label',
        env: { JANGAR_AGENTS_CONTROLLER_LABELS_REQUIRED: 'team' },
        says: /team/,
      },
    ],
    LabelBlocked: [
      {
        because: 'the platform denies a label, although it also allows it',
        run: runOf({}, { metadata: { labels: { 'evil/x': '1' } } }),
        env: {
          JANGAR_AGENTS_CONTROLLER_LABELS_DENIED: 'evil/*',
          JANGAR_AGENTS_CONTROLLER_LABELS_ALLOWED: '*',
        },
        says: /evil\/x \(pattern evil\/\*\)/,
      },
    ],
    LabelNotAllowed: [
      {
        because: 'the platform allows only other labels',
        run: runOf({}, { metadata: { labels: { 'good/x': '1', other: '1' } } }),
        env: { JANGAR_AGENTS_CONTROLLER_LABELS_ALLOWED: 'good/*' },
        says: /label other/,
      },
    ],
    MissingImplementation: [
      {
        because: 'no implementation is specified',
        run: runOf({ implementation: undefined }),
        says: /implementationSpecRef or implementation/,
      },
    ],
    InvalidContract: [
      {
        because: 'a required key is blank',
        run: runOf(contract([' '])),
        says: /requiredKeys\[0\]/,
      },
      {
        because: 'a mapping has a blank target',
        run: runOf(contract([], [{ from: 'a', to: '' }])),
        says: /mappings\[0\]/,
      },
    ],
    MissingRequiredMetadata: [
      {
        because: 'a required key is missing',
        run: runOf(contract(['repository', 'stage', 'prompt'])),
        says: /requires repository, stage;/,
      },
      {
        because: 'a later step lacks a required key',
        run: runOf({
          ...contract(['stage']),
          ...workflow({ name: 'a', parameters: { stage: 'a' } }, { name: 'b' }),
        }),
        says: /requires stage;/,
      },
    ],
    InvalidSystemPrompt: [
      {
        because: 'the system prompt is too long',
        run: runOf({ systemPrompt: 'x'.repeat(16_385) }),
        says: /16384/,
      },
    ],
  })

  test('with the keys that are missing for its contract', () => {
    const run = runOf({ ...contract(['stage', 'repository']), parameters: { stage: 's' } })
    expect(resolveWork(run, undefined, portsWith([run]))).toMatchObject({
      contract: { requiredKeys: ['stage', 'repository'], missingKeys: ['repository'] },
    })
  })
})
