import type { SubjectName } from './subject.ts'

/** A case in which the embedded server answers differently on purpose. */
interface Difference {
  readonly suite: string
  /** The title of the case. */
  readonly because: string
  /** What a user has to know. */
  readonly reason: string
}

const established =
  'A definition is checked, accepted and established by the write that creates it. Clients that wait for it wait less, and its status has no manager of its own.'

const quotesNames =
  'Where upstream quotes its internal form of all versions of a definition, the message names the versions.'
const internalForm =
  'The refusal says what of a pod may change. Upstream adds the change as its memory holds it, with fields that no API has.'
const quotes =
  'The refusal quotes the patched object with its fields in the order of the alphabet, where upstream keeps that of its structures.'
const yamlMessages = 'Invalid YAML is rejected with the message of another parser.'
const scaleMessages =
  'A body that is not a Scale is rejected with the reason; upstream reports that it cannot encode its own response.'

const differences: readonly Difference[] = [
  ...['no stored version', 'two stored versions', 'a version twice'].map((fault) => ({
    suite: 'definition-faults',
    because: `a definition with ${fault}`,
    reason: quotesNames,
  })),
  { suite: 'definitions', because: 'gets defaults and is established', reason: established },
  { suite: 'definitions', because: 'whose names are taken is not accepted', reason: established },
  { suite: 'output', because: 'a table of one definition', reason: established },
  {
    suite: 'access',
    because: 'as a group without a user',
    reason: 'The refusal says what is missing without printing a structure of Go.',
  },
  {
    suite: 'output',
    because: 'protobuf of a custom resource',
    reason: 'Requests may be protobuf; answers, errors among them, are JSON or YAML.',
  },
  {
    suite: 'output',
    because: 'of one object, asked for as a list',
    reason:
      'A wrong wish is answered with 406 for every kind, where upstream fails with 500 for custom resources.',
  },
  {
    suite: 'ownership',
    because: 'the scale may be applied',
    reason:
      'The scale of a custom resource may be applied. Upstream fails with 500 unless the replicas already have an owner.',
  },
  { suite: 'pods', because: 'a command may not change', reason: internalForm },
  { suite: 'pods', because: 'a restart policy may not change', reason: internalForm },
  { suite: 'apply', because: 'no YAML', reason: yamlMessages },
  { suite: 'validation', because: 'a body that is not valid YAML', reason: yamlMessages },
  {
    suite: 'json-patch',
    because: 'JSON patch of a config map may give a wrong type',
    reason: quotes,
  },
  {
    suite: 'merge-patch',
    because: 'merge patch of a config map with a wrong type',
    reason: quotes,
  },
  { suite: 'merge-patch', because: 'merge patch of a config map by a value', reason: quotes },
  {
    suite: 'validation',
    because: 'an unknown field of a merge patch of a config map, Strict',
    reason: quotes,
  },
  { suite: 'subresources', because: 'a scale is a number', reason: scaleMessages },
  { suite: 'subresources', because: 'a scale of another kind', reason: scaleMessages },
  {
    suite: 'create',
    because: 'a list is not an object',
    reason:
      'A list in place of a custom resource is refused for its kind and, beside that, for its missing name.',
  },
]

export function isDifferent(subject: SubjectName, suite: string, because: string): boolean {
  return (
    subject === 'embedded' &&
    differences.some((each) => each.suite === suite && each.because === because)
  )
}
