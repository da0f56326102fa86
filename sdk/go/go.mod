// SPDX-License-Identifier: Apache-2.0
module libge

go 1.24
