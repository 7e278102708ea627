/** Channels of the remote command protocol over a WebSocket; the first byte of each message. */
export const channels = {
  stdin: 0,
  stdout: 1,
  stderr: 2,
  error: 3,
  resize: 4,
  /** Since version 5: the next byte is the channel that has ended. */
  close: 255,
} as const

/** Versions that are spoken over a WebSocket. The first two differ in the error channel, the last in `close`. */
export const commandProtocols = ['v5.channel.k8s.io', 'v4.channel.k8s.io', 'channel.k8s.io', '']
