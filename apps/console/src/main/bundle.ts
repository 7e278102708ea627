import { buildFiles } from '../build/build-files.ts'

/** Writes the files of the console to the folder of the first argument. A process of its own: see `buildConsole`. */
const [, , folder = ''] = process.argv
// What a test or a shell has set would select other variants of packages.
process.env.NODE_ENV = 'production'
await buildFiles(folder)
