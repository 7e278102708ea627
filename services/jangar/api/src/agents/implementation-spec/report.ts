import { boolean, integer, object, optional, string } from '@agents/crd'

export const reportStatus = object(
  'What the platform has written about runs into the issue. Recorded before and after each act, so that none is doubled.',
  {
    marker: optional(
      string('A text in the comment, recorded before it is written. It finds the comment again.'),
    ),
    commentId: optional(integer('Identifier of the comment in the service.', { format: 'int64' })),
    comment: optional(string('Digest of the text of the comment.')),
    isRemoved: optional(boolean('Somebody deleted the comment; no other one is written.')),
    commitStatus: optional(string('The last commit status: commit and state.')),
    message: optional(string('Why the last act failed.')),
  },
)
