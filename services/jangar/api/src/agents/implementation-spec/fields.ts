import { list, object, oneOfStrings, optional, string } from '@agents/crd'
import { localRef } from '../../reference.ts'

/** A piece of work, written out: the spec of an ImplementationSpec, and what a run may hold inline. */
export function implementation(description: string) {
  return object(description, {
    source: optional(source),
    vcsRef: optional(localRef('The VersionControlProvider of the repository.')),
    text: string('Full description of the work to do.', { maxLength: 131_072 }),
    summary: optional(string('Summary of the work in one line.', { maxLength: 256 })),
    description: optional(string('Background of the work.', { maxLength: 131_072 })),
    acceptanceCriteria: optional(
      list('Criteria for the completion of the work.', string('A criterion.'), { maxItems: 50 }),
    ),
    labels: optional(list('Labels to find the work by.', string('A label.'))),
    contract: optional(contract),
  })
}

const source = object('Origin of the work.', {
  provider: oneOfStrings('The system that it was imported from.', [
    'github',
    'gitlab',
    'gitea',
    'linear',
    'generic',
    'manual',
    'custom',
  ]),
  externalId: optional(string('Identifier in that system, such as owner/repository#12.')),
  url: optional(string('URL in that system.')),
  state: optional(
    oneOfStrings(
      'Whether the work is wanted there: Closed if its issue is closed, deleted or no longer in the scope of its source. Runs are not affected, unless the source has onClosed: Cancel.',
      ['Open', 'Closed'],
    ),
  ),
  version: optional(string('When it was last changed in that system.')),
})

const contract = object('Metadata that a run must provide.', {
  requiredKeys: optional(
    list('Required keys.', string('A key, such as repository.'), {
      maxItems: 50,
    }),
  ),
  mappings: optional(
    list(
      'Mappings from one key to another.',
      object('Copies the value of a key to another key that has none.', {
        from: string('The key to copy from.', { maxLength: 256 }),
        to: string('The key to copy to.', { maxLength: 256 }),
      }),
      { maxItems: 100 },
    ),
  ),
})
