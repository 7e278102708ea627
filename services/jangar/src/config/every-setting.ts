import { controlPlane } from './control-plane.ts'
import { controllers } from './controllers.ts'

/** The settings of all processes: the chart sets the same variables for each of them. */
export const everySetting = { controlPlane, controllers }
