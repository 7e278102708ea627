import type { PlatformPart } from './platform-part.ts'

/** The controllers of the agents groups. */
export function controllersPart(): PlatformPart {
  return {
    name: 'controllers',
    needsKinds: true,
    start: async () => await Promise.resolve({ stop: () => Promise.resolve() }),
  }
}
