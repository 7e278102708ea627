export { buildConsole } from './build/build-console.ts'
export { serveParts } from './build/serve-parts.ts'
