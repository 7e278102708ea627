import { serveParts } from '../build/serve-parts.ts'

/** Shows all parts of the console, for those who change one: `npm run console:parts`. */
const { url } = await serveParts()
console.log(`The parts are at ${url}`)
