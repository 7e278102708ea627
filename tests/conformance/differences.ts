import type { SubjectName } from './subject.ts'

/** A case in which the embedded server answers otherwise on purpose. */
export interface Difference {
  readonly suite: string
  /** The sentence of the case. */
  readonly because: string
  /** What a user has to know. */
  readonly reason: string
}

const established =
  'A definition is checked, accepted and established by the write that creates it. Clients that wait for it wait less, and its status has no manager of its own.'
const remembers =
  'Old versions are forgotten when there were too many writes since, and not after a time.'

const quotesNames =
  'Where upstream quotes its internal form of all versions of a definition, the message names the versions.'
const internalForm =
  'The refusal says what of a pod may change. Upstream adds the change as its memory holds it, with fields that no API has.'

export const differences: readonly Difference[] = [
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
      'The scale of a custom resource may be applied. Upstream fails with 500 unless somebody owns the replicas already.',
  },
  { suite: 'pods', because: 'a command may not change', reason: internalForm },
  { suite: 'pods', because: 'a restart policy may not change', reason: internalForm },
  {
    suite: 'watch',
    because: 'an old version is answered with an error event',
    reason: remembers,
  },
  {
    suite: 'reflector',
    because: 'a token that is too old comes with one to go on with',
    reason: remembers,
  },
  { suite: 'reflector', because: 'an exact list of long ago is gone', reason: remembers },
]

export const isDifferent = (subject: SubjectName, suite: string, because: string): boolean =>
  subject === 'embedded' &&
  differences.some((each) => each.suite === suite && each.because === because)
