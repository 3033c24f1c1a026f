// SPDX-License-Identifier: Apache-2.0
// The tiling structs of library functions, as a tiling function fills them.
#ifndef OPKG_HOST_ADV_TILING_CLASSES_H
#define OPKG_HOST_ADV_TILING_CLASSES_H

#include "opkg/adv/norm_tiling.h"
#include "opkg/adv/tiling.h"
#include "register/tilingdata_base.h"

namespace optiling {

#define OPKG_ADV_FIELD(type, name) TILING_DATA_FIELD_DEF(type, name)
#define OPKG_ADV_CLASS(name, fields) BEGIN_TILING_DATA_DEF(name) fields(OPKG_ADV_FIELD) END_TILING_DATA_DEF;
OPKG_ADV_TILINGS(OPKG_ADV_CLASS)
OPKG_ADV_LAYOUT_TILINGS(OPKG_ADV_CLASS)
#undef OPKG_ADV_CLASS
#undef OPKG_ADV_FIELD

} // namespace optiling

#endif // OPKG_HOST_ADV_TILING_CLASSES_H
