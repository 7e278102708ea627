import { setImmediate } from 'node:timers/promises'

/** Lets long loops yield to other requests. Checks the clock every `itemsPerCheck` items, since that is costly. */
interface Pacer {
  /**
   * Reports whether the loop should yield. Cheap enough for every item. `bytes`: size of the item's JSON.
   */
  isDue(bytes?: number): boolean
  rest(): Promise<void>
}

const sliceMs = 8
/** The clock is also checked after this many bytes, since items may be large. */
const bytesPerCheck = 32 * 1024

export function createPacer(itemsPerCheck = 32): Pacer {
  let began = performance.now()
  let items = 0
  let bytesSince = 0
  let hasRested = false
  return {
    isDue: (bytes = 0) => {
      bytesSince += bytes
      if (++items % itemsPerCheck !== 0 && bytesSince < bytesPerCheck) return false
      bytesSince = 0
      return performance.now() - began > sliceMs
    },
    rest: async () => {
      // A loop usually begins where the event loop reads sockets. The first immediate still runs before the next read.
      if (!hasRested) await setImmediate()
      hasRested = true
      await setImmediate()
      began = performance.now()
    },
  }
}
