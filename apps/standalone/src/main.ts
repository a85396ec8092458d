import { x } from '@app/config'; console.log(x, import.meta.url);
