import { type PodStreams, StreamFailure } from '@agents/kube'

/** The streams of a node that is started after the API server which serves them, and may be stopped before it. */
export function latePodStreams(current: () => PodStreams | undefined): PodStreams {
  const streams = (): PodStreams => {
    const found = current()
    if (found === undefined) throw new StreamFailure(503, 'the local node is not running')
    return found
  }
  return {
    exec: async (...args) => streams().exec(...args),
    attach: async (...args) => streams().attach(...args),
    portForward: async (pod) => streams().portForward(pod),
  }
}
