import { type Tool, toolPath } from '../../tools/tool-path.ts'

/** `tool.ts helm 4` prints where that Helm is, for scripts that are not written in TypeScript. */
const [name, version] = process.argv.slice(2)
console.log(await toolPath(...([name, version] as unknown as Tool)))
