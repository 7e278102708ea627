import {
  integer,
  list,
  object,
  optional,
  type PrinterColumn,
  statusObject,
  string,
} from '@agents/crd'

function count(description: string) {
  return integer(description, { format: 'int32', minimum: 0 })
}

/** The status of a rule: the state of its streams. */
export const streamStatus = statusObject({
  streams: optional(
    object('Watch streams of this rule, one per resource.', {
      summary: string('Number of live streams of the total, such as 3/4.'),
      total: count('Number of streams that the rule requires.'),
      live: count('Number of streams that have completed their initial list and are live.'),
      blocked: optional(
        list(
          'Up to 8 streams that cannot be opened.',
          object('A stream that cannot be opened. It does not block other streams.', {
            resource: string('The resource, such as deployments.apps.'),
            reason: string('Reason, in one word.'),
            message: string('Why the stream cannot be opened, and what to do about it.', {
              maxLength: 1024,
            }),
          }),
          {
            maxItems: 8,
            'x-kubernetes-list-type': 'map',
            'x-kubernetes-list-map-keys': ['resource'],
          },
        ),
      ),
    }),
  ),
})

export const streamsColumn: PrinterColumn = {
  name: 'Streams',
  type: 'string',
  jsonPath: '.status.streams.summary',
  description: 'Number of live streams of the total.',
}
