import {
  integer,
  list,
  object,
  optional,
  type PrinterColumn,
  statusObject,
  string,
} from '@agents/crd'

const count = (description: string) => integer(description, { format: 'int32', minimum: 0 })

/** The status of a rule: how its streams are. */
export const streamStatus = statusObject({
  streams: optional(
    object('The watch streams that this rule asks for, one per resource.', {
      summary: string('Live ones of all, such as 3/4.'),
      total: count('Streams that the rule asks for.'),
      live: count('Streams that are past their initial list and live.'),
      blocked: optional(
        list(
          'Streams that cannot be opened, a few of them.',
          object('A stream that cannot be opened. It does not hold up the others.', {
            resource: string('The resource, such as deployments.apps.'),
            reason: string('Why, in one word.'),
            message: string('Why, and what to do about it.', { maxLength: 1024 }),
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
  description: 'Live streams of all that the rule asks for.',
}
