import { describe, expect, test } from 'vitest'
import { composeToolRun } from './compose-tool-run.ts'

const request = { tool: 'build', parameters: [], others: {} }

describe('a run of a tool from flags', () => {
  test('has the parameters and limits that were given', () => {
    const run = composeToolRun(
      {
        ...request,
        name: 'first',
        parameters: ['stage=test', 'expression=a=b'],
        timeoutMs: 1500,
        retries: '2',
        priority: '-1',
        labels: ['team=shop'],
        others: { agent: undefined, secret: [] },
      },
      'agents',
    )
    expect(run).toEqual({
      metadata: { name: 'first', namespace: 'agents', labels: { team: 'shop' } },
      spec: {
        toolRef: { name: 'build' },
        parameters: { stage: 'test', expression: 'a=b' },
        timeoutSeconds: 2,
        retries: 2,
        priority: -1,
      },
    })
  })

  test('is named after the tool, with a suffix, and leaves the rest to it', () => {
    const run = composeToolRun(request, 'agents')
    expect(run.metadata.name).toMatch(/^build-[0-9a-f]{6}$/)
    expect(run.spec).toEqual({ toolRef: { name: 'build' } })
  })

  test.each([
    { given: { others: { image: 'x' } }, says: '--tool and --image cannot be used together' },
    { given: { others: { secret: ['x'] } }, says: '--tool and --secret cannot be used together' },
    { given: { parameters: ['x'] }, says: '--param must be KEY=VALUE, not "x"' },
    { given: { retries: '-1' }, says: '--retries must be a whole number, 0 or more, not "-1"' },
  ])('is refused: $says', ({ given, says }) => {
    expect(() => composeToolRun({ ...request, ...given }, 'agents')).toThrow(says)
  })
})
