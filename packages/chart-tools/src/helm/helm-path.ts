import { toolPath } from '../npm-tools/tool-path.ts'

/** The path of Helm 4: that of HELM_BIN or, if it is unset, the one from npm. */
export async function helmPath(named: string | undefined): Promise<string> {
  return named === undefined || named === '' ? toolPath('helm', '4') : named
}
