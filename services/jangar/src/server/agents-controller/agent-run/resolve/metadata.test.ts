import { describe, expect, test } from 'vitest'
import { metadataOf } from './metadata.ts'

const work = { text: 'Do it.' }

describe('the metadata of the work', () => {
  test.each([
    {
      because: 'parameters become metadata, with surrounding whitespace trimmed',
      parameters: { stage: ' plan ', empty: '  ' },
      expected: { stage: 'plan' },
      absent: ['empty'],
    },
    {
      because: 'aliases are mapped to canonical keys',
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
      because: 'the canonical key takes precedence over its aliases',
      parameters: { repo: 'o/other', repository: 'o/r' },
      expected: { repository: 'o/r' },
    },
    {
      because: 'the contract maps custom keys',
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
      because: 'a mapping never replaces an existing key',
      parameters: { repository: 'o/r', other: 'o/x' },
      work: { ...work, contract: { mappings: [{ from: 'other', to: 'repository' }] } },
      expected: { repository: 'o/r' },
    },
    {
      because: 'a GitHub issue provides its repository and number',
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
      because: 'identifiers of other services are not parsed',
      parameters: {},
      work: { ...work, source: { provider: 'linear' as const, externalId: 'o/r#12' } },
      expected: { prompt: 'Do it.' },
      absent: ['repository', 'issueNumber'],
    },
    {
      because: 'the parameter prompt takes precedence over the text',
      parameters: { prompt: 'Rather this.' },
      expected: { prompt: 'Rather this.', issueBody: 'Do it.' },
    },
  ])('$because', ({ parameters, work: given = work, expected, absent = [] }) => {
    const metadata = metadataOf(parameters, given)
    expect(metadata).toMatchObject(expected)
    for (const key of absent) expect(metadata).not.toHaveProperty(key)
  })
})
