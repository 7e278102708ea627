/** What routes that answer with server-sent events have in common. */
export const eventStream = {
  headers: {
    'last-event-id': {
      schema: {
        type: 'string',
        maxLength: 100,
        description: 'The id of the last event that was received.',
      },
    },
  },
  answers: {
    200: {
      description: 'The changes, until the client leaves.',
      contentType: 'text/event-stream',
      schema: { type: 'string' },
    },
  },
} as const

/** The answer that streams `chunks`. */
export function eventStreamAnswer(chunks: AsyncIterable<string | Uint8Array>) {
  return {
    contentType: 'text/event-stream',
    // Proxies must not collect events.
    headers: { 'x-accel-buffering': 'no' },
    chunks,
  }
}
