import { buildConsole } from '../build/build-console.ts'

/** Builds the console, for the image and for development. */
console.log(`console ${await buildConsole()}`)
