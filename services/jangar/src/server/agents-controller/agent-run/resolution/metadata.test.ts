import { describe, expect, test } from 'vitest'
import { metadataOf } from './metadata.ts'

const work = { text: 'Do it.' }

describe('what is known about the work', () => {
  test.each([
    {
      because: 'parameters are facts, without the space around them',
      parameters: { stage: ' plan ', empty: '  ' },
      expected: { stage: 'plan' },
      absent: ['empty'],
    },
    {
      because: 'a fact has many names',
      parameters: {
        repo: 'o/r',
        issue_number: '7',
        title: 'T',
        base_ref: 'main',
        headRef: 'h',
        codexStage: 's',
      },
      expected: {
        repository: 'o/r',
        issueNumber: '7',
        issueTitle: 'T',
        base: 'main',
        head: 'h',
        stage: 's',
      },
    },
    {
      because: 'the usual name goes before the others',
      parameters: { repo: 'o/other', repository: 'o/r' },
      expected: { repository: 'o/r' },
    },
    {
      because: 'the contract maps names that nobody else knows',
      parameters: { targetRepository: 'o/r', linearIdentifier: 'T-1' },
      work: {
        ...work,
        contract: {
          mappings: [
            { from: 'targetRepository', to: 'repository' },
            { from: 'linearIdentifier', to: 'issueNumber' },
            { from: 'nothing', to: 'stage' },
          ],
        },
      },
      expected: { repository: 'o/r', issueNumber: 'T-1' },
      absent: ['stage'],
    },
    {
      because: 'a mapping never replaces a fact',
      parameters: { repository: 'o/r', other: 'o/x' },
      work: { ...work, contract: { mappings: [{ from: 'other', to: 'repository' }] } },
      expected: { repository: 'o/r' },
    },
    {
      because: 'a GitHub issue tells its repository and number',
      parameters: {},
      work: {
        ...work,
        summary: 'Fix',
        source: {
          provider: 'github' as const,
          externalId: 'o/r#12',
          url: 'https://git.example.com/12',
        },
      },
      expected: {
        repository: 'o/r',
        issueNumber: '12',
        issueTitle: 'Fix',
        issueBody: 'Do it.',
        issueUrl: 'https://git.example.com/12',
        prompt: 'Do it.',
      },
    },
    {
      because: 'only GitHub writes identifiers like that',
      parameters: {},
      work: { ...work, source: { provider: 'linear' as const, externalId: 'o/r#12' } },
      expected: { prompt: 'Do it.' },
      absent: ['repository', 'issueNumber'],
    },
    {
      because: 'the parameter prompt goes before the text',
      parameters: { prompt: 'Rather this.' },
      expected: { prompt: 'Rather this.', issueBody: 'Do it.' },
    },
  ])('$because', ({ parameters, work: given = work, expected, absent = [] }) => {
    const metadata = metadataOf(parameters, given)
    expect(metadata).toMatchObject(expected)
    for (const key of absent) expect(metadata).not.toHaveProperty(key)
  })
})
