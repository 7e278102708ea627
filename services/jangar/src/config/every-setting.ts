import { controlPlane } from './control-plane.ts'
import { controllers } from './controllers.ts'

/** Of all processes: the chart gives them the same variables, whichever of them reads each. */
export const everySetting = { controlPlane, controllers }
