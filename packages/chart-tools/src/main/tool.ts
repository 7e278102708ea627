import { type Tool, toolPath } from '../npm-tools/tool-path.ts'

/** `tool.ts helm 4` prints the path of that Helm, for scripts that are not written in TypeScript. */
const [name, version] = process.argv.slice(2)
console.log(await toolPath(...([name, version] as unknown as Tool)))
