import { list, object, oneOfStrings, optional, string } from '@agents/crd'
import { localRef } from '../../reference.ts'

/** A piece of work, written out: the spec of an ImplementationSpec, and what a run may hold inline. */
export function implementation(description: string) {
  return object(description, {
    source: optional(source),
    vcsRef: optional(localRef('The VersionControlProvider of the repository to work in.')),
    text: string('What is to be done, in full.', { maxLength: 131_072 }),
    summary: optional(string('What is to be done, in one line.', { maxLength: 256 })),
    description: optional(
      string('Background that helps to understand the work.', { maxLength: 131_072 }),
    ),
    acceptanceCriteria: optional(
      list('What must be so when the work is done.', string('One criterion.'), { maxItems: 50 }),
    ),
    labels: optional(list('Free words to find the work by.', string('One word.'))),
    contract: optional(contract),
  })
}

const source = object('Where the work was described first.', {
  provider: oneOfStrings('Which system it came from.', ['github', 'linear', 'manual', 'custom']),
  externalId: optional(string('Its identifier there, such as owner/repository#12.')),
  url: optional(string('Its address there.')),
})

const contract = object('Which facts a run must bring along before the work can begin.', {
  requiredKeys: optional(
    list('Facts that must be known, by key.', string('One key, such as repository.'), {
      maxItems: 50,
    }),
  ),
  mappings: optional(
    list(
      'Facts that are known under another name.',
      object('Takes one fact from another key when it has none of its own.', {
        from: string('The key that holds the value.', { maxLength: 256 }),
        to: string('The key that needs it.', { maxLength: 256 }),
      }),
      { maxItems: 100 },
    ),
  ),
})
